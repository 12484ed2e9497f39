package io.holdfast.cli;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version for {@code --version}, which the build has written into a resource file. */
final class VersionFromBuild implements IVersionProvider {
  private static final String FILE = "version.properties";

  @Override
  public String[] getVersion() throws IOException {
    try (InputStream in = VersionFromBuild.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new FileNotFoundException(FILE);
      }
      Properties properties = new Properties();
      properties.load(in);
      return new String[] {"holdfast " + properties.getProperty("version")};
    }
  }
}
