print("symclust")
