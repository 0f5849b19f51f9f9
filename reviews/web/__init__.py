"""Pages: parse, call, render. No rule stands here."""
