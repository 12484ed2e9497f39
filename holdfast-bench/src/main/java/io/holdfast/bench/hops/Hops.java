package io.holdfast.bench.hops;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.StringReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.Value;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.connect.VMStartException;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import io.holdfast.testservers.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Counts the hops of one warm operation on Redis: methods of Holdfast that the caller's thread
 * enters, accessors aside; the classes they belong to; how deep they lie; and how often the class
 * changes from one to the next. With {@code --list} it prints the methods as well.
 *
 * <pre>
 *   ./holdfast hops [--list]
 * </pre>
 */
public final class Hops {
  private static final String OURS = "io.holdfast.";

  private final VirtualMachine walked;
  private final Map<String, Walk> shortest = new LinkedHashMap<>();
  private @Nullable Walk current;
  private @Nullable MethodEntryRequest entries;

  private Hops(VirtualMachine walked) {
    this.walked = walked;
  }

  /** Prints the table. */
  public static void main(String[] args) throws Exception {
    List<Walk> walks;
    try (RedisServer server = RedisServer.builder().start()) {
      walks = measure(server.url());
    }
    print(walks, List.of(args).contains("--list"), System.out);
  }

  /** What each operation of {@link WalkedMain} passes through. */
  static List<Walk> measure(String url)
      throws IOException,
          InterruptedException,
          VMStartException,
          IllegalConnectorArgumentsException {
    LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    set(arguments, "main", WalkedMain.class.getName() + " " + url);
    set(arguments, "options", "-cp \"" + System.getProperty("java.class.path") + "\"");
    set(arguments, "home", System.getProperty("java.home"));
    Hops hops = new Hops(connector.launch(arguments));
    Thread output = passOn(hops.walked.process().getInputStream(), System.err);
    Thread errors = passOn(hops.walked.process().getErrorStream(), System.err);
    try {
      hops.follow();
    } finally {
      hops.walked.process().destroyForcibly();
    }
    output.join();
    errors.join();
    return List.copyOf(hops.shortest.values());
  }

  private static void set(Map<String, Connector.Argument> arguments, String name, String value) {
    Objects.requireNonNull(arguments.get(name)).setValue(value);
  }

  private static Thread passOn(InputStream from, PrintStream to) {
    Thread thread =
        new Thread(
            () -> {
              try {
                from.transferTo(to);
              } catch (IOException e) {
                // the process has ended
              }
            },
            "output");
    thread.start();
    return thread;
  }

  private void follow() throws InterruptedException {
    ClassPrepareRequest loaded = walked.eventRequestManager().createClassPrepareRequest();
    loaded.addClassFilter(Mark.class.getName());
    loaded.enable();
    try {
      while (true) {
        EventSet events = walked.eventQueue().remove();
        for (Event event : events) {
          if (event instanceof ClassPrepareEvent prepared) {
            breakAt(prepared.referenceType());
          } else if (event instanceof BreakpointEvent mark) {
            marked(mark);
          } else if (event instanceof MethodEntryEvent entry) {
            entered(entry);
          }
        }
        events.resume();
      }
    } catch (VMDisconnectedException e) {
      // all walks are done
    }
  }

  /** Until the first mark the process runs at full speed: entries of methods slow it down. */
  private void breakAt(ReferenceType mark) {
    for (Method method : mark.methods()) {
      if (method.isStatic() && !method.isStaticInitializer()) {
        BreakpointRequest request =
            walked.eventRequestManager().createBreakpointRequest(method.location());
        request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        request.enable();
      }
    }
  }

  private void marked(BreakpointEvent mark) {
    if (mark.location().method().name().equals("begin")) {
      begin(mark.thread());
    } else {
      end();
    }
  }

  private void entered(MethodEntryEvent entry) {
    Walk walk = current;
    if (walk != null) {
      Method method = entry.method();
      String className = method.declaringType().name();
      walk.enter(className, method.name(), method.bytecodes().length, depth(entry.thread()));
    }
  }

  private void begin(ThreadReference thread) {
    Value name = frames(thread).get(0).getArgumentValues().get(0);
    Walk walk = new Walk(((StringReference) name).value());
    current = walk;
    MethodEntryRequest request = walked.eventRequestManager().createMethodEntryRequest();
    request.addThreadFilter(thread);
    request.addClassFilter(OURS + "*");
    request.addClassExclusionFilter("io.holdfast.bench.*");
    request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    request.enable();
    entries = request;
  }

  private void end() {
    Walk walk = Objects.requireNonNull(current);
    current = null;
    shortest.merge(
        walk.name(), walk, (one, other) -> one.hops().size() <= other.hops().size() ? one : other);
    if (entries != null) {
      walked.eventRequestManager().deleteEventRequest(entries);
      entries = null;
    }
  }

  private static List<StackFrame> frames(ThreadReference thread) {
    try {
      return thread.frames();
    } catch (IncompatibleThreadStateException e) {
      throw new IllegalStateException("the thread of an event is suspended", e);
    }
  }

  private static int depth(ThreadReference thread) {
    int depth = 0;
    for (StackFrame frame : frames(thread)) {
      String name = frame.location().declaringType().name();
      if (name.startsWith(OURS) && !name.startsWith("io.holdfast.bench.")) {
        depth++;
      }
    }
    return depth;
  }

  private static void print(List<Walk> walks, boolean list, PrintStream out) {
    out.println("| walk (warm, Redis, caller's thread) | methods | classes | depth | switches |");
    out.println("|---|--:|--:|--:|--:|");
    for (Walk walk : walks) {
      out.printf(
          "| `%s` | %d | %d | %d | %d |%n",
          walk.name(), walk.hops().size(), walk.classes(), walk.depth(), walk.switches());
    }
    if (list) {
      walks.forEach(walk -> printHops(walk, out));
    }
  }

  private static void printHops(Walk walk, PrintStream out) {
    out.printf("%n%s%n", walk.name());
    for (Walk.Hop hop : walk.hops()) {
      out.printf(
          "%s%s.%s%n",
          "  ".repeat(hop.depth()), hop.className().replaceAll(".*\\.", ""), hop.method());
    }
  }
}
