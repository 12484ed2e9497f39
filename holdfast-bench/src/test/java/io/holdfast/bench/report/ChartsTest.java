package io.holdfast.bench.report;

import static io.holdfast.bench.lock.Subjects.FLOOR;
import static io.holdfast.bench.lock.Subjects.HOLDFAST;
import static io.holdfast.bench.lock.Subjects.REDISSON_PLAIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Result;
import java.io.StringReader;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class ChartsTest {
  @Test
  void barsAreInProportionAndColouredByWhoseTheyAre() throws Exception {
    Result result =
        Sketch.of("A", Metric.OPERATIONS)
            .with(FLOOR, 100)
            .with(HOLDFAST, 50)
            .with(REDISSON_PLAIN, 25)
            .result();
    Document chart = parse(BarChart.draw(result, Metric.OPERATIONS));
    assertThat(width(chart, 0) / width(chart, 1))
        .isCloseTo(2, org.assertj.core.data.Offset.offset(0.01));
    assertThat(width(chart, 1) / width(chart, 2))
        .isCloseTo(2, org.assertj.core.data.Offset.offset(0.01));
    assertThat(attribute(chart, 0, "fill")).isEqualTo(Svg.FLOOR);
    assertThat(attribute(chart, 1, "fill")).isEqualTo(Svg.OURS);
    assertThat(attribute(chart, 2, "fill")).isEqualTo(Svg.PEER);
    assertThat(chart.getDocumentElement().getTextContent())
        .contains("a <scenario>", "Redisson")
        .doesNotContain("logarithmic");
  }

  @Test
  void whatDiffersVeryMuchIsDrawnLogarithmically() throws Exception {
    Result result =
        Sketch.of("C", Metric.OPERATIONS)
            .with(HOLDFAST, 100_000, 120_000)
            .with(REDISSON_PLAIN, 500)
            .result();
    Document chart = parse(BarChart.draw(result, Metric.OPERATIONS));
    assertThat(chart.getDocumentElement().getTextContent()).contains("logarithmic");
    assertThat(width(chart, 0) / width(chart, 1)).isBetween(5.0, 11.0);
    assertThat(chart.getElementsByTagName("line").getLength()).isEqualTo(1); // one has a spread
  }

  @Test
  void nothingMeasuredIsAnEmptyChart() throws Exception {
    Result result = Sketch.of("C", Metric.OPERATIONS).failed(HOLDFAST, "stalled").result();
    Document chart = parse(BarChart.draw(result, Metric.OPERATIONS));
    assertThat(chart.getElementsByTagName("rect").getLength()).isZero();
  }

  @Test
  void linesGoThroughAllTheirPoints() throws Exception {
    TreeMap<Integer, Double> flat = new TreeMap<>(Map.of(1, 2.0, 4, 2.0, 16, 2.0));
    TreeMap<Integer, Double> growing = new TreeMap<>(Map.of(1, 3.0, 4, 6.0, 16, 12.0));
    Document chart =
        parse(
            LineChart.draw(
                "I", "managers", Metric.COMMANDS, Map.of(HOLDFAST, flat, REDISSON_PLAIN, growing)));
    assertThat(chart.getElementsByTagName("circle").getLength()).isEqualTo(6 + 2);
  }

  private static double width(Document chart, int bar) {
    return Double.parseDouble(attribute(chart, bar, "width"));
  }

  private static String attribute(Document chart, int bar, String name) {
    return chart
        .getElementsByTagName("rect")
        .item(bar)
        .getAttributes()
        .getNamedItem(name)
        .getNodeValue();
  }

  private static Document parse(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }
}
