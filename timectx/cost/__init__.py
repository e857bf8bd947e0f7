"""Price requests: dated price lists, what a provider's cache saves, and the bill of a run."""
