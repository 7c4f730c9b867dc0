//! What a world is held to.
