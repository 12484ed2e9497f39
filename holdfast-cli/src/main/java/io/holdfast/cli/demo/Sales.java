package io.holdfast.cli.demo;

import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Who bought what, once a round is over.
 *
 * @param sold how many sales there were
 * @param items how many different items were sold
 * @param mostSoldItem the number of the item that was sold most often
 * @param mostSoldTimes how often that was
 */
record Sales(long sold, long items, String mostSoldItem, long mostSoldTimes) {

  /** From the number of the item of each sale. */
  static Sales of(Collection<String> soldItems) {
    Map<String, Long> timesSold =
        soldItems.stream()
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    return timesSold.entrySet().stream()
        .max(Comparator.comparingLong(Map.Entry::getValue))
        .map(top -> new Sales(soldItems.size(), timesSold.size(), top.getKey(), top.getValue()))
        .orElse(new Sales(0, 0, "none", 0));
  }

  /** How many sales were of an item that somebody else had bought already. */
  long oversold() {
    return sold - items;
  }
}
