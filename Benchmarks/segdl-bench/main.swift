print("segdl-bench")
