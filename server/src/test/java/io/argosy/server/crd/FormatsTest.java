package io.argosy.server.crd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the formats of text demand. */
class FormatsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            isbn      | 0321751043                | 0321751044
            isbn      | 978-0321751041            | 978-0321751042
            isbn10    | 0-8044-2957-X             | 978-0321751041
            isbn13    | 978-0321751041            | 0321751043
            creditcard| 4111 1111 1111 1111       | 4111 1111 1111 1112
            rgbcolor  | rgb(255, 0, 17)           | rgb(256,0,0)
            hexcolor  | #0aF                      | #0aFF
            byte      | YWJj                      | YWJ
            ipv4      | 010.1.2.3                 | 256.1.2.3
            cidr      | 010.0.0.0/8               | 10.0.0.0/33
            hostname  | www.example.london        | 10.0.0.1
            hostname  | m-host                    | my-own-host
            date-time | 2014-12-15T19:30:20.000Z  | noon
            datetime  | 2014-12-15T19:30:20+02:00 | 2014-12-15
            k8s-short-name | a-b                  | a.b
            nothing   | anything                  |
            """)
    void textsFitOrDoNot(String format, String good, String bad) {
        assertThat(Formats.fits(format, good)).isTrue();
        assertThat(bad == null || !Formats.fits(format, bad)).isTrue();
    }
}
