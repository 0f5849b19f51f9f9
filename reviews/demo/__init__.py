"""The story of one whole case, played through the services that every other face uses, with a real worker."""
