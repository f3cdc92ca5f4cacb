/** When an id was made, epoch ms, where the id says so (version 7). */
export function timeOfId(id: string): number | undefined {
  const hex = id.replaceAll('-', '')
  return /^[0-9a-f]{12}7[0-9a-f]{19}$/i.test(hex) ? Number.parseInt(hex.slice(0, 12), 16) : undefined
}
