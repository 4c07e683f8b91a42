/** A WordPiece; one that continues a word is seen with its "##" and heard without. */
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
