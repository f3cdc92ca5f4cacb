/** Agreement of two raters, corrected for the agreement that is expected by chance. */
export interface Agreement {
  /** Items that both rated. */
  readonly items: number
  /** Share of the items with the same rating. */
  readonly equalShare: number
  /** Cohen's kappa: 1 is full agreement, 0 as much as by chance. Undefined when both always give the same rating. */
  readonly kappa: number | undefined
  /** Interval of kappa by its large-sample standard error; undefined below two items. */
  readonly interval: { readonly low: number; readonly high: number } | undefined
}

/** Standard deviations to each side of a 95 % interval. */
const Z_95 = 1.959_963_985

/**
 * Cohen's kappa with the standard error of Fleiss, Cohen and Everitt (1969).
 *
 * @param ratings  the two ratings of each item
 * @returns undefined without items
 */
export function measureKappa(ratings: readonly (readonly [string, string])[]): Agreement | undefined {
  const items = ratings.length
  if (items === 0) return undefined
  const { categories, cell, row, column } = tabulate(ratings)
  const observed = sum(categories.map((one) => cell(one, one)))
  const expected = sum(categories.map((one) => row(one) * column(one)))
  if (1 - expected < 1e-12) return { items, equalShare: observed, kappa: undefined, interval: undefined }
  const kappa = (observed - expected) / (1 - expected)
  const miss = 1 - kappa
  const agreed = sum(categories.map((one) => cell(one, one) * (1 - (row(one) + column(one)) * miss) ** 2))
  const differed = sum(
    categories.flatMap((one) =>
      categories.map((other) => (one === other ? 0 : cell(one, other) * (column(one) + row(other)) ** 2)),
    ),
  )
  const numerator = agreed + miss ** 2 * differed - (kappa - expected * miss) ** 2
  const error = Math.sqrt(Math.max(0, numerator) / items) / (1 - expected)
  const interval =
    items < 2 ? undefined : { low: Math.max(-1, kappa - Z_95 * error), high: Math.min(1, kappa + Z_95 * error) }
  return { items, equalShare: observed, kappa, interval }
}

/** Shares of the items by the ratings of both, and of each rater. */
function tabulate(ratings: readonly (readonly [string, string])[]) {
  const categories = [...new Set(ratings.flat())]
  const share = (fits: (rating: readonly [string, string]) => boolean) => ratings.filter(fits).length / ratings.length
  return {
    categories,
    cell: (first: string, second: string) => share(([a, b]) => a === first && b === second),
    row: (first: string) => share(([a]) => a === first),
    column: (second: string) => share(([, b]) => b === second),
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Kappa in a word, by the scale of Landis and Koch (1977). */
export function describeKappa(kappa: number): string {
  if (kappa < 0) return 'less than by chance'
  if (kappa <= 0.2) return 'slight'
  if (kappa <= 0.4) return 'fair'
  if (kappa <= 0.6) return 'moderate'
  return kappa <= 0.8 ? 'substantial' : 'almost perfect'
}
