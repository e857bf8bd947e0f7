"""Write one self-contained page on what each refresh interval costs and buys."""
