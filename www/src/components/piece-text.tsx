/** A WordPiece. The "##" of a continuing piece is visible but not spoken. */
export function PieceText({ piece }: { piece: string }) {
  if (!/^##./.test(piece)) return <>{piece}</>;
  return (
    <>
      <span aria-hidden="true">##</span>
      <span class="visually-hidden">…</span>
      {piece.slice(2)}
    </>
  );
}
