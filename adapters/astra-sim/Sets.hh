// The options --set=KEY=VALUE and --set KEY=VALUE of a command line. They are
// taken out before cxxopts reads it, which would cut a VALUE at its commas.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace OrreryAstra {

// The texts KEY=VALUE in order; argc and argv are then without them.
inline std::vector<std::string> take_sets(int &argc, char *argv[])
{
    std::vector<std::string> sets;
    const std::string option = "--set";
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        if (word.compare(0, option.size() + 1, option + "=") == 0)
            sets.push_back(word.substr(option.size() + 1));
        else if (word == option && i + 1 < argc)
            sets.push_back(argv[++i]);
        else if (word == option)
            throw std::runtime_error("--set takes KEY=VALUE");
        else
            argv[kept++] = argv[i];
    }
    argc = argc > kept ? kept : argc;
    argv[argc] = nullptr;
    return sets;
}

}  // namespace OrreryAstra
