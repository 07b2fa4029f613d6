// Apart: Xlib's macros (None, Success, ...) do not go well with anything.
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
