// The standard library's templates: deep inlining across many files, long names, exceptions. ELF only. Never run.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Entry {
  std::string name;
  std::vector<int> values;
  std::unique_ptr<int> owner;
};

static std::map<std::string, std::shared_ptr<Entry>> entries;

int add(const std::string &name, std::vector<int> values) {
  auto entry = std::make_shared<Entry>();
  entry->name = name + "!";
  std::sort(values.begin(), values.end(), [](int a, int b) { return a % 10 < b % 10; });
  values.erase(std::remove_if(values.begin(), values.end(), [](int v) { return v < 0; }), values.end());
  entry->values = std::move(values);
  entry->owner = std::make_unique<int>(3);
  entries[name] = entry;
  return static_cast<int>(entries.size());
}

std::string describe(const std::function<std::string(const Entry &)> &how) {
  std::string all;
  for (const auto &[name, entry] : entries) all += name + "=" + how(*entry) + ",";
  if (all.size() > 100) all.resize(all.find_last_of(',', 100));
  return all;
}

int main() {
  add("one", {3, 1, 2});
  return static_cast<int>(describe([](const Entry &e) { return std::to_string(e.values.at(1)); }).size());
}
