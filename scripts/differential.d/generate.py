def everything(top, made, scratch, workers, only):
    return []
