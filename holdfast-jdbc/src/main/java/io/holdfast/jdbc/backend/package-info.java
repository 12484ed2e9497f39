/**
 * The JDBC engine. A stack trace reads {@code JdbcBackend} (the requests of core) over {@code
 * Strategy} (an atomic change of rows) over {@code LockTable} (the SQL). {@code Poller} and {@code
 * PostgresListener} find signals, and {@code SignalDispatcher} passes them on to core. {@code
 * io.holdfast.spi.state.ResourceStep} decides what happens to a row.
 */
@NullMarked
package io.holdfast.jdbc.backend;

import org.jspecify.annotations.NullMarked;
