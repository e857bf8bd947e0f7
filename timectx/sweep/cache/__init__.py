"""Keep the columns of files, and know when they no longer hold."""
