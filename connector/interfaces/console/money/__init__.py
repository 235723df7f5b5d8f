"""What the pages about money show: bank rows, open items by side, payments, and the trial balance by class."""
