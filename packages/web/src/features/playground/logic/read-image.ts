import { formatBytes } from '#lib/format.ts'

/** An image as a data URL, with a note if it is not the file as it was; or why there is none. */
export type ReadImage = { readonly url: string; readonly note?: string } | { readonly problem: string }

/** Longest sides that are tried, in pixels. Models see no more of an image than the first. */
const SIDES = [2048, 1536, 1024, 768, 512] as const
const QUALITY = 0.88
/** Providers refuse larger images. */
const MAX_CHARACTERS = 5_000_000

/**
 * Reads an image. One that does not fit is scaled down, with a note.
 *
 * @param space  characters that the data URL may have
 */
export async function readImage(file: File, space: number): Promise<ReadImage> {
  const most = Math.min(space, MAX_CHARACTERS)
  // Base64 is a third longer than the bytes.
  if ((file.size / 3) * 4 + 100 <= most) return { url: await toDataUrl(file) }
  const scaled = await scaleDown(file, most)
  if (scaled !== undefined) return scaled
  const free = formatBytes((space / 4) * 3)
  return {
    problem: `${file.name} has ${formatBytes(file.size)}, and the draft has space for ${free} of images. Remove an image, choose a smaller one, or give the address of this one.`,
  }
}

async function scaleDown(file: File, most: number): Promise<ReadImage | undefined> {
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (bitmap === undefined) return undefined
  const { width, height } = bitmap
  try {
    for (const side of SIDES) {
      const factor = Math.min(1, side / Math.max(width, height))
      const [w, h] = [width, height].map((pixels) => Math.max(1, Math.round(pixels * factor))) as [number, number]
      const canvas = new OffscreenCanvas(w, h)
      const context = canvas.getContext('2d')
      if (context === null) return undefined
      // A JPEG has no transparent pixels.
      context.fillStyle = 'white'
      context.fillRect(0, 0, w, h)
      context.drawImage(bitmap, 0, 0, w, h)
      const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY })
      if ((blob.size / 3) * 4 + 100 > most) continue
      const note = `${file.name} had ${formatBytes(file.size)}. It was made a JPEG of ${w} × ${h} pixels with ${formatBytes(blob.size)}; give its address to send it as it is.`
      return { url: await toDataUrl(blob), note }
    }
    return undefined
  } finally {
    bitmap.close()
  }
}

function toDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'))
    reader.readAsDataURL(blob)
  })
}
