/** Locks in a table of a SQL database: {@code jdbc:} URLs, or the application's own data source. */
@NullMarked
package io.holdfast.jdbc;

import org.jspecify.annotations.NullMarked;
