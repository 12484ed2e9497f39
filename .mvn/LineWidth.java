import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Fails if a line of a text file is wider than 120 columns, and names the file and the line.
 *
 * <pre>
 *   java LineWidth.java ROOT_FOLDER
 * </pre>
 *
 * <p>It checks texts, sources and scripts: *.md, *.java, *.lua, *.sql, *.sh and everything in .ci. A row of a Markdown
 * table, and a line that is a single word or link, cannot be broken and may be wider.
 */
public final class LineWidth {
  private static final int COLUMNS = 120;
  private static final Pattern CHECKED = Pattern.compile(".*\\.(md|java|lua|sql|sh)");
  private static final Pattern SINGLE =
      Pattern.compile("\\s*([-*#/]+ )?\\s*(\\S+|!?\\[[^\\]]*\\]\\(\\S+\\)[.,;]?)\\s*");
  private static final Set<String> SHOWN = Set.of(".ci", ".mvn");

  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]).toAbsolutePath().normalize();
    List<String> wide = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            boolean skipped = name.equals("target") || (name.startsWith(".") && !SHOWN.contains(name));
            return skipped && !folder.equals(root) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            String name = root.relativize(file).toString().replace('\\', '/');
            if ((CHECKED.matcher(name).matches() || name.startsWith(".ci/"))) {
              check(file, name, wide);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    if (!wide.isEmpty()) {
      wide.stream().sorted().forEach(System.err::println);
      System.err.printf("LineWidth: %d lines are wider than %d columns%n", wide.size(), COLUMNS);
      System.exit(1);
    }
  }

  private static void check(Path file, String name, List<String> wide) throws IOException {
    boolean markdown = name.endsWith(".md");
    List<String> lines = Files.readAllLines(file);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      int columns = line.codePointCount(0, line.length());
      boolean row = markdown && line.stripLeading().startsWith("|");
      if (columns > COLUMNS && !row && !SINGLE.matcher(line).matches()) {
        wide.add("%s:%d: %d columns".formatted(name, i + 1, columns));
      }
    }
  }

  private LineWidth() {}
}
