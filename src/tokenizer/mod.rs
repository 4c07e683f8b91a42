//! Text to WordPiece ids with the byte range each came from, and back.
