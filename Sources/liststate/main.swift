print("liststate")
