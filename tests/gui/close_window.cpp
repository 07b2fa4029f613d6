// What the X server knows of the window. Apart: Xlib's macros (None, Success, ...) do not go well with anything.
#include <cstdint>
#include <string>
#include <vector>

#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include "tests/gui/screen.h"

namespace rankscope::test {
namespace {

Window window_named(Display* display, Window root, const std::string& title) {
  Window parent = 0, *children = nullptr;
  unsigned count = 0;
  if (XQueryTree(display, root, &root, &parent, &children, &count) == 0) return 0;
  Window found = 0;
  for (unsigned i = 0; i < count && found == 0; ++i) {
    char* name = nullptr;
    if (XFetchName(display, children[i], &name) != 0 && name != nullptr &&
        std::string(name) == title)
      found = children[i];
    if (name != nullptr) XFree(name);
  }
  if (children != nullptr) XFree(children);
  return found;
}

}  // namespace

std::vector<std::uint32_t> Screen::pixels(const std::string& title) const {
  std::vector<std::uint32_t> pixels;
  Display* display = XOpenDisplay(display_.c_str());
  if (display == nullptr) return pixels;
  const Window window = window_named(display, DefaultRootWindow(display), title);
  XWindowAttributes now{};
  XImage* image = nullptr;
  if (window != 0 && XGetWindowAttributes(display, window, &now) != 0)
    image = XGetImage(display, window, 0, 0, static_cast<unsigned>(now.width),
                      static_cast<unsigned>(now.height), AllPlanes, ZPixmap);
  if (image != nullptr) {
    for (int y = 0; y < now.height; ++y)
      for (int x = 0; x < now.width; ++x)
        pixels.push_back(0xFF000000U | static_cast<std::uint32_t>(XGetPixel(image, x, y)));
    XDestroyImage(image);
  }
  XCloseDisplay(display);
  return pixels;
}

bool Screen::close_window(const std::string& title) const {
  Display* display = XOpenDisplay(display_.c_str());
  if (display == nullptr) return false;
  const Window window = window_named(display, DefaultRootWindow(display), title);
  if (window != 0) {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = window;
    event.xclient.message_type = XInternAtom(display, "WM_PROTOCOLS", 0);
    event.xclient.format = 32;
    event.xclient.data.l[0] = static_cast<long>(XInternAtom(display, "WM_DELETE_WINDOW", 0));
    event.xclient.data.l[1] = CurrentTime;
    XSendEvent(display, window, 0, NoEventMask, &event);
  }
  XCloseDisplay(display);
  return window != 0;
}

}  // namespace rankscope::test
