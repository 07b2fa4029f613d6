// What an NCCL topology file says, element by element, before it is a topology.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// A processor, PCIe device, GPU or network port, in the tree of the file.
struct NcclPart {
  enum class Kind : unsigned char { cpu, pci, gpu, net } kind = Kind::cpu;
  int parent = -1;  ///< Of a pci what it hangs on, of a gpu and net its pci or cpu.
  int line = 0;
  int rank = -1;            ///< Of a gpu; -1: the file does not say.
  int generation = 0;       ///< Of a gpu: its compute capability, 70 for 7.0.
  int model = 0;            ///< Of a cpu.
  double bandwidth = 0;     ///< Of a pci to its parent, of a net to the outside; bytes per second.
  double chip_rate = 0;     ///< Of a gpu to its cpu (C2C); 0: none.
  std::string name = {};    ///< Of a pci its bus id.
  std::string host = {};    ///< Of a cpu, where the file is of several.
  std::string vendor = {};  ///< Of a cpu.
};

struct NcclLink {
  int gpu = 0;         ///< Index of a part.
  std::string target;  ///< Bus id, as it stands there.
  enum class To : unsigned char { gpu, nvswitch, cpu } to = To::gpu;
  int count = 1, line = 0;
};

struct NcclSystem {
  std::vector<NcclPart> parts;
  std::vector<NcclLink> links;
};

/// Throws FormatError with file and line.
NcclSystem parse_nccl_system(std::string_view text, const std::string& name);

}  // namespace rankscope
