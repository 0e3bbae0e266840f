// Measures robfig/cron itself, as schedule.rs measures everything else.
//
// Each line of the input is an expression, a zone, the Unix seconds of the start and of the horizon
// and the most runs of a pass, separated by tabs. The answer is one line with the nanoseconds of a
// next run, the nanoseconds of parsing, and the number and the sum of the runs of a pass.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron"
)

// The minimum of this many measurements is used: all disturbances add time.
const measurements = 5

// A measurement takes at least this long.
const least = 20 * time.Millisecond

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		parts := strings.Split(in.Text(), "\t")
		zone, err := time.LoadLocation(parts[1])
		if err != nil {
			fmt.Println("error", err)
			continue
		}
		schedule, err := cron.ParseStandard(parts[0])
		if err != nil {
			fmt.Println("error", err)
			continue
		}
		start, _ := strconv.ParseInt(parts[2], 10, 64)
		horizon, _ := strconv.ParseInt(parts[3], 10, 64)
		most, _ := strconv.Atoi(parts[4])
		runs, sum := 0, int64(0)
		pass := func() int {
			runs, sum = 0, 0
			at := time.Unix(start, 0).In(zone)
			for runs < most {
				at = schedule.Next(at)
				if at.IsZero() || at.Unix() >= horizon {
					break
				}
				runs++
				sum += at.Unix()
			}
			return runs
		}
		next := fastest(pass)
		parse := fastest(func() int {
			for i := 0; i < 100; i++ {
				if _, err := cron.ParseStandard(parts[0]); err != nil {
					panic(err)
				}
			}
			return 100
		})
		fmt.Printf("%.1f\t%.1f\t%d\t%d\n", next, parse, runs, sum)
	}
}

func fastest(work func() int) float64 {
	best := 0.0
	for i := 0; i < measurements; i++ {
		done, began := 0, time.Now()
		for time.Since(began) < least {
			done += work()
		}
		took := float64(time.Since(began).Nanoseconds()) / float64(done)
		if i == 0 || took < best {
			best = took
		}
	}
	return best
}
