package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SalesTest {
  @Test
  void itemsSoldOnceAreNotOversold() {
    assertThat(Sales.of(List.of("3", "2", "1")).oversold()).isZero();
  }

  @Test
  void everySaleButTheFirstOfAnItemIsOneTooMany() {
    Sales sales = Sales.of(List.of("3", "2", "2", "2", "1", "1"));
    assertThat(sales).isEqualTo(new Sales(6, 3, "2", 3));
    assertThat(sales.oversold()).isEqualTo(3);
  }

  @Test
  void noSalesAreNoTrouble() {
    assertThat(Sales.of(List.of()).oversold()).isZero();
  }
}
