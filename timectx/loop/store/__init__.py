"""Keep sessions on disk: durable after every flush, one writer at a time, repaired when taken up again."""
