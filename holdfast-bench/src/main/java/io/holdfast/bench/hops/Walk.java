package io.holdfast.bench.hops;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The methods that the caller's thread entered during one operation, in order. Methods that only
 * return a field, or ask another for one, are left out: they are no step of the operation.
 */
final class Walk {
  /** A method that was entered, and how many frames of Holdfast lay below it. */
  record Hop(String className, String method, int depth) {}

  /** Bytes of code of the longest method that does nothing but get something: a().b() is 8. */
  private static final int LONGEST_ACCESSOR = 8;

  private final String name;
  private final List<Hop> hops = new ArrayList<>();

  Walk(String name) {
    this.name = name;
  }

  String name() {
    return name;
  }

  List<Hop> hops() {
    return hops;
  }

  void enter(String className, String method, int bytesOfCode, int depth) {
    if (bytesOfCode > LONGEST_ACCESSOR) {
      hops.add(new Hop(outermost(className), method, depth));
    }
  }

  /** A lambda counts as its class; so does what is written inside another class. */
  private static String outermost(String className) {
    int nested = className.indexOf('$');
    return nested < 0 ? className : className.substring(0, nested);
  }

  int classes() {
    Set<String> all = new HashSet<>();
    hops.forEach(hop -> all.add(hop.className()));
    return all.size();
  }

  int depth() {
    return hops.stream().mapToInt(Hop::depth).max().orElse(0);
  }

  /** How often the next method entered was one of another class. */
  int switches() {
    int switches = 0;
    for (int i = 1; i < hops.size(); i++) {
      if (!hops.get(i).className().equals(hops.get(i - 1).className())) {
        switches++;
      }
    }
    return switches;
  }
}
