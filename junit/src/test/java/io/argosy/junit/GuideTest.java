package io.argosy.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What the guide shows is what is tested. */
class GuideTest {
    @Test
    void theExampleOfTheGuideIsTheOneThatRuns() throws IOException {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("docs/junit.md"))) {
            root = root.getParent();
        }
        String tested = Files.readString(root.resolve("junit/src/test/java/io/argosy/junit/GuideExampleTest.java"));
        String example =
                tested.substring(tested.indexOf("@ArgosyTest\nclass"), tested.indexOf("// end of the example"));
        assertThat(Files.readString(root.resolve("docs/junit.md"))).contains("```java\n" + example.strip() + "\n```");
    }
}
