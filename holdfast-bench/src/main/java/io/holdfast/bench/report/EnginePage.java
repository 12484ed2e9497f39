package io.holdfast.bench.report;

import io.holdfast.bench.fault.Fault;
import io.holdfast.bench.fault.FaultEngine;
import io.holdfast.bench.measure.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one run says about our engines: a table of figures and one of faults. Both are written to
 * files, and into a page where it has a place for them: <code>&lt;!-- measured: engines --&gt;
 * </code>, anything, <code>&lt;!-- end of engines --&gt;</code>.
 */
public final class EnginePage {
  private final Map<String, String> tables = new LinkedHashMap<>();

  /** From as much as there is. */
  public EnginePage(
      List<Result> results, Map<FaultEngine, Map<Fault, String>> faults, List<String> servers) {
    for (Result result : results) {
      if (result.id().equals("L")) {
        tables.put("engines", EngineTable.of(result));
        tables.put("servers", about(servers));
      }
    }
    if (!faults.isEmpty()) {
      tables.put("faults", FaultTable.of(faults));
    }
  }

  private static String about(List<String> servers) {
    return Prose.paragraph(
        "On %s, on %s: %s."
            .formatted(
                LocalDate.now(ZoneOffset.UTC),
                String.join(", ", Machine.describe()),
                String.join("; ", servers)));
  }

  /** Writes each table to a file of its own. */
  public void writeFiles(Path folder) throws IOException {
    for (Map.Entry<String, String> table : tables.entrySet()) {
      Files.writeString(folder.resolve(table.getKey() + ".md"), table.getValue());
    }
  }

  /** Puts the tables into their places in a page; one without such a place stays as it is. */
  public void replaceTables(Path page) throws IOException {
    String text = Files.readString(page);
    for (Map.Entry<String, String> table : tables.entrySet()) {
      text = replace(text, table.getKey(), table.getValue());
    }
    Files.writeString(page, text);
  }

  private static String replace(String text, String name, String table) {
    String before = "<!-- measured: " + name + " -->\n";
    String after = "<!-- end of " + name + " -->";
    int begin = text.indexOf(before);
    int end = text.indexOf(after);
    return begin < 0 || end < begin
        ? text
        : text.substring(0, begin + before.length()) + "\n" + table + "\n" + text.substring(end);
  }
}
