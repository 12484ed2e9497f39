/**
 * The JDBC engine. A stack trace reads {@code JdbcBackend} (what core asks) over {@code Strategy}
 * (how a row is changed atomically) over {@code LockTable} (the SQL); {@code Poller} and {@code
 * PostgresListener} bring the news. What happens to a row is decided by {@code
 * io.holdfast.spi.state.ResourceStep}.
 */
@NullMarked
package io.holdfast.jdbc.backend;

import org.jspecify.annotations.NullMarked;
