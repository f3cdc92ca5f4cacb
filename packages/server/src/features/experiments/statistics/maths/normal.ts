const SQRT_2PI = Math.sqrt(2 * Math.PI)

/** P(Z ≤ z) of the standard normal distribution; relative accuracy also far out in the lower tail. */
export function normalCdf(z: number): number {
  if (Number.isNaN(z)) return Number.NaN
  return z < 0 ? upperTail(-z) : 1 - upperTail(z)
}

/** P(Z > z) for z ≥ 0: a series near zero, a continued fraction beyond. */
function upperTail(z: number): number {
  if (z > 38) return 0
  const density = Math.exp((-z * z) / 2) / SQRT_2PI
  if (z < 3) {
    let term = z
    let sum = z
    for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(sum); k++) {
      term *= (z * z) / (2 * k + 1)
      sum += term
    }
    return 0.5 - density * sum
  }
  let below = z
  for (let k = 200; k >= 1; k--) below = z + k / below
  return density / below
}

/** The z with P(Z ≤ z) = p; infinite at 0 and 1 (Wichura's AS 241). */
export function normalQuantile(p: number): number {
  if (p <= 0) return Number.NEGATIVE_INFINITY
  if (p >= 1) return Number.POSITIVE_INFINITY
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q
    return (q * polynomial(CENTRE[0], r)) / polynomial(CENTRE[1], r)
  }
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p))
  const [above, under, from] = r <= 5 ? [TAIL[0], TAIL[1], 1.6] : [FAR[0], FAR[1], 5]
  const value = polynomial(above, r - from) / polynomial(under, r - from)
  return q < 0 ? -value : value
}

/** Coefficients from the constant upwards. */
function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0)
}

type Ratio = readonly [above: readonly number[], under: readonly number[]]

const CENTRE: Ratio = [
  [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
    33430.57558358813, 2509.0809287301227,
  ],
  [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852546,
  ],
]

const TAIL: Ratio = [
  [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
]

const FAR: Ratio = [
  [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
  ],
  [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 1.8463183175100548e-5,
    1.421511758316446e-7, 2.0442631033899397e-15,
  ],
]
