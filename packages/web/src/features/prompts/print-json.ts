/** JSON with two spaces. A value that is nested too deeply to print gives a sentence about that. */
export function printJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? 'null'
  } catch {
    return 'This value is nested too deeply to be printed. See the raw manifest.'
  }
}
