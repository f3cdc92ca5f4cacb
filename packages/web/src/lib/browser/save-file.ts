/** Offers text or bytes to the browser as a file to save. */
export function saveFile(name: string, type: string, parts: readonly (string | Uint8Array<ArrayBuffer>)[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
