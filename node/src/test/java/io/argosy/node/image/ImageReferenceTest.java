package io.argosy.node.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageReferenceTest {
    private static final String HEX = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    @ParameterizedTest
    @CsvSource({
        "nginx, docker.io/library/nginx:latest",
        "nginx:1.7.9, docker.io/library/nginx:1.7.9",
        "team/app, docker.io/team/app:latest",
        "docker.io/nginx, docker.io/library/nginx:latest",
        "index.docker.io/library/nginx:1, docker.io/library/nginx:1",
        "localhost/app, localhost/app:latest",
        "localhost:5000/app:v1, localhost:5000/app:v1",
        "127.0.0.1:5000/library/nginx:1.7.9, 127.0.0.1:5000/library/nginx:1.7.9",
        "[::1]:5000/app, [::1]:5000/app:latest",
        "gcr.io/google_containers/pause-amd64:3.0, gcr.io/google_containers/pause-amd64:3.0",
        "quay.io/a/b__c/d--e:V_1.2-x, quay.io/a/b__c/d--e:V_1.2-x",
        "nginx@sha256:" + HEX + ", docker.io/library/nginx@sha256:" + HEX,
        "nginx:1.7.9@sha256:" + HEX + ", docker.io/library/nginx@sha256:" + HEX
    })
    void namesTakeTheirFullForm(String written, String canonical) {
        ImageReference reference = ImageReference.parse(written);
        assertThat(reference.canonical()).isEqualTo(canonical);
        assertThat(ImageReference.parse(canonical).canonical()).isEqualTo(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "Nginx",
                "nginx:",
                "nginx:a b",
                "nginx@",
                "nginx@sha256:abc",
                "nginx@md5:" + HEX,
                "/nginx",
                "a//b",
                "a/",
                "-a",
                "a_",
                "a___b",
                "nginx:.x",
                "docker.io/",
                "host:99999999/a",
                HEX,
                "a/../b",
                "nginx\n",
                "http://nginx"
            })
    void otherNamesAreInvalidImageNames(String written) {
        assertThatThrownBy(() -> ImageReference.parse(written))
                .isInstanceOfSatisfying(
                        ImageException.class, e -> assertThat(e.reason()).isEqualTo("InvalidImageName"))
                .hasMessageStartingWith("couldn't parse image name \"" + written + "\": invalid reference format");
    }
}
