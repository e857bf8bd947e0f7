"""Turn one session into flat columns of whole numbers."""
