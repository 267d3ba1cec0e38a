package io.argosy.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MeasurementTest {
    @Test
    void moreInASecondIsFaster() {
        assertThat(Figure.perSecond(9000, "").against(Figure.perSecond(1500, "")))
                .isEqualTo("6.0 times as fast");
        assertThat(Figure.perSecond(40_800, "").against(Figure.perSecond(3400, "")))
                .isEqualTo("12 times as fast");
    }

    @Test
    void lessTimeIsFaster() {
        assertThat(Figure.time(40, "", "").against(Figure.time(300, "", ""))).isEqualTo("7.5 times as fast");
        assertThat(Figure.time(300, "", "").against(Figure.time(150, "", ""))).isEqualTo("0.5 times as fast");
    }

    @Test
    void ratioSaysWhichOfSeveralNumbersItIsOf() {
        assertThat(Figure.time(2, "", "p50").against(Figure.time(4, "", "p50"))).isEqualTo("2.0 times as fast (p50)");
    }

    @Test
    void memoryIsAFraction() {
        assertThat(Figure.memory(400, "").against(Figure.memory(1000, ""))).isEqualTo("0.40 of the memory");
    }

    @Test
    void rowHasBothFiguresAndOurGoal() {
        Measurement ours = new Measurement("create", Figure.perSecond(20, "20/s"), ">= 10/s");
        Measurement theirs = new Measurement("create", Figure.perSecond(5, "5/s"), ">= 10/s");
        assertThat(ours.beside(theirs)).isEqualTo(new Row("create", "5/s", "20/s", "4.0 times as fast", ">= 10/s"));
        assertThat(ours.row()).isEqualTo(new Row("create", "20/s", ">= 10/s"));
    }
}
