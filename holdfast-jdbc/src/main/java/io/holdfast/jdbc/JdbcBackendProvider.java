package io.holdfast.jdbc;

import io.holdfast.jdbc.backend.Backends;
import io.holdfast.jdbc.backend.Dialect;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@code jdbc:postgresql:}, {@code jdbc:mysql:}, {@code jdbc:mariadb:}, {@code jdbc:h2:} and
 * {@code jdbc:sqlite:} URLs; the application provides the driver. Options start with {@code
 * holdfast.} and may be mixed with those of the driver:
 *
 * <pre>{@code
 * LockManager.create("jdbc:postgresql://db/orders?user=app&holdfast.schema=create");
 * LockManager.create("jdbc:sqlite:/var/lib/app/locks.db");     // several processes of one machine
 * }</pre>
 *
 * <p>An application can provide its own data source:
 *
 * <pre>{@code
 * LockManager manager = LockManager.builder("jdbc:orders")
 *     .engine(JdbcBackendProvider.using(dataSource))
 *     .build();
 * }</pre>
 */
public final class JdbcBackendProvider implements LockBackendProvider {
  private static final List<String> SCHEMES =
      List.of("jdbc:postgresql:", "jdbc:mysql:", "jdbc:mariadb:", "jdbc:h2:", "jdbc:sqlite:");

  private final @Nullable DataSource dataSource;
  private final JdbcOptions options;

  /** Takes all settings from the URL of the manager. */
  public JdbcBackendProvider() {
    this(null, JdbcOptions.defaults());
  }

  private JdbcBackendProvider(@Nullable DataSource dataSource, JdbcOptions options) {
    this.dataSource = dataSource;
    this.options = options;
  }

  /** Uses connections of this data source, whatever the URL of the manager. */
  public static JdbcBackendProvider using(DataSource dataSource) {
    return using(dataSource, JdbcOptions.defaults());
  }

  /**
   * Uses connections of this data source, whatever the URL of the manager. The engine borrows them
   * for single, short transactions of its own and returns them in their former state. On PostgreSQL
   * it keeps one for notifications (see {@link JdbcOptions#listen}). The data source is not closed.
   */
  public static JdbcBackendProvider using(DataSource dataSource, JdbcOptions options) {
    return new JdbcBackendProvider(dataSource, options);
  }

  @Override
  public boolean accepts(String url) {
    String lower = url.toLowerCase(Locale.ROOT);
    return SCHEMES.stream().anyMatch(lower::startsWith);
  }

  @Override
  public String urlForms() {
    return "jdbc:postgresql:..., jdbc:mysql:..., jdbc:mariadb:..., jdbc:h2:... and jdbc:sqlite:<file>";
  }

  @Override
  public LockBackend open(String url, BackendContext context) {
    DataSource lent = dataSource;
    if (lent != null) {
      Dialect dialect = Backends.dialectOf(lent);
      return Backends.open(lent, dialect, options.settings(dialect, false), context);
    }
    JdbcUrl parsed = JdbcUrl.parse(url);
    Dialect dialect = Dialect.ofUrl(parsed.url());
    if (dialect == Dialect.SQLITE && isNoFile(parsed.url())) {
      throw new IllegalArgumentException(
          "a SQLite database in memory belongs to one connection; use a file, or memory: instead");
    }
    return Backends.open(
        parsed.url(),
        parsed.options().settings(dialect, dialect.createsTablesByItself(parsed.url())),
        context);
  }

  private static boolean isNoFile(String url) {
    String file = url.substring("jdbc:sqlite:".length());
    return file.isBlank() || file.startsWith("?") || file.contains(":memory:");
  }
}
