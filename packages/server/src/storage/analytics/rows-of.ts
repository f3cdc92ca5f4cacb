/**
 * Rows of an answer: lines between `[` and `]`, each but the last with a comma behind it.
 *
 * The embedded engine keeps what it had printed when a statement failed, and puts it before the answer to the next one,
 * whoever asked that. So rows count from the last `[` that ends a line, which stands nowhere inside of a row.
 */
export function splitRows(answer: string): string[] {
  const begin = answer.lastIndexOf('[\n')
  const end = answer.lastIndexOf('\n]')
  if (begin < 0 || end < begin) throw new Error('the column store sent an answer without its end')
  const rows = answer.slice(begin + 2, end)
  return rows === '' ? [] : rows.split(',\n')
}
