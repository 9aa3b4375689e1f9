"""LogiHard: atomic questions, their combinatorial hardening, and adaptive testing with them."""
