import { describe, expect, test } from "vitest";
import { formatOf } from "./formats.ts";

describe("a format", () => {
  // Each text was checked with kube-apiserver 1.35, odd as some of its answers are.
  test.each<[format: string, good: string[], bad: string[]]>([
    ["date", ["2024-01-02", "2024-02-29"], ["2023-02-29", "2024-02-30", "2024-2-3", "2024-13-01", "x"]],
    [
      "date-time",
      ["2024-01-02T03:04:05Z", "2024-01-02t03:04:05.123+02:00"],
      ["2024-01-02 03:04:05Z", "2024-01-02T25:00:00Z", "2024-01-02T03:04:05"],
    ],
    ["byte", ["YQ==", "YWJj"], ["", "YQ", "Y Q=", "*"]],
    ["duration", ["1h", "1.5h", "-3s", "2 days", "5 m", "1h 2 days"], ["", "1", "3 fortnights", "x"]],
    ["ipv4", ["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"], ["256.1.1.1", "1.2.3", "::1"]],
    ["ipv6", ["::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"], ["1::2::3", "fe80::1%eth0", "1.2.3.4"]],
    ["cidr", ["1.2.3.4/8", "01.2.3.4/8", "::/0"], ["1.2.3.4/33", "1.2.3.4"]],
    [
      "uri",
      ["http://x/y", "/a/b", "//x/y", "mailto:a@b.c", "*", "http://", "http://[::1]:80/"],
      ["x", "http://[::1", "http://a b", "http://x/%zz"],
    ],
    ["email", ["a@b.c", "A <a@b.c>", "a@b", '"x y"@b.c'], ["a b@c.d", "@b", "a@", "x"]],
    [
      "hostname",
      ["a", "a.bc", "example.london", "A-B.COM", "a-"],
      ["a.b", "-a", "a_b", "1.2.3.4", "a..bc", ""],
    ],
    ["uuid", ["00000000-0000-0000-0000-000000000000", "00000000000000000000000000000000"], ["x"]],
    ["uuid3", ["00000000-0000-3000-0000-000000000000"], ["00000000-0000-4000-8000-000000000000"]],
    ["uuid4", ["00000000-0000-4000-8000-000000000000"], ["00000000-0000-0000-0000-000000000000"]],
    ["uuid5", ["00000000-0000-5000-8000-000000000000"], ["00000000-0000-4000-8000-000000000000"]],
    [
      "mac",
      ["00:00:5e:00:53:01", "00-00-5e-00-53-01", "0000.5e00.5301", "02:00:5e:10:00:00:00:01"],
      ["00:00:5e:00:53", "00:00-5e:00:53:01"],
    ],
    ["hexcolor", ["#fff", "ffffff"], ["#ffff", "x"]],
    ["rgbcolor", ["rgb(1,2,3)", "rgb( 1 , 2 , 3 )"], ["rgb(256,1,1)"]],
    ["isbn", ["0321751043", "978-0321751041"], ["0321751044"]],
    ["creditcard", ["4111111111111111", "4111-1111-1111-1111"], ["4111111111111112", "x"]],
    ["ssn", ["111-22-3333"], ["111223333", "11-22-3333"]],
    ["bsonobjectid", ["507f1f77bcf86cd799439011"], ["507f"]],
    ["k8s-short-name", ["a-b"], ["A", "a.b"]],
    ["k8s-long-name", ["a.b"], ["a..b"]],
    ["password", ["anything"], []],
  ])("%s accepts and refuses the same texts as kube-apiserver", (name, good, bad) => {
    const format = formatOf(name);
    expect(good.filter((text) => !format?.matches(text))).toEqual([]);
    expect(bad.filter((text) => format?.matches(text))).toEqual([]);
  });

  test.each(["int32", "int64", "double", "made-up", ""])("%j is not checked", (name) => {
    expect(formatOf(name)).toBeUndefined();
  });
});
