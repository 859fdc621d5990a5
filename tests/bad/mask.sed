s/take [0-9.]+ [KMGTPE]?B of memory, and [0-9.]+ [KMGTPE]?B are free/take N of memory, and N are free/
