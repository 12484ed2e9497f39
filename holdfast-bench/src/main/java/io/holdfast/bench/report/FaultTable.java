package io.holdfast.bench.report;

import io.holdfast.bench.fault.Fault;
import io.holdfast.bench.fault.FaultEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What each engine did under each fault, for the guide that says which to choose. */
final class FaultTable {
  private FaultTable() {}

  static String of(Map<FaultEngine, Map<Fault, String>> cells) {
    List<String> head = new ArrayList<>(List.of(""));
    cells.keySet().forEach(engine -> head.add(engine.label()));
    MarkdownTable table = new MarkdownTable(head);
    for (Fault fault : Fault.values()) {
      List<String> row = new ArrayList<>(List.of(fault.label()));
      cells.values().forEach(column -> row.add(column.getOrDefault(fault, "-").replace('|', '/')));
      table.row(row);
    }
    return table.toString().replace("--:|", "---|");
  }
}
