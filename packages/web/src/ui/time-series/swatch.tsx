/** The colour of a line, dashed as the line is. */
export function Swatch({ colour, isDashed }: { colour: string; isDashed: boolean }) {
  return isDashed ? (
    <span aria-hidden className="w-2.5 shrink-0 border-t-2 border-dashed" style={{ borderColor: `var(--${colour})` }} />
  ) : (
    <span aria-hidden className="size-2.5 shrink-0 rounded-[2px]" style={{ backgroundColor: `var(--${colour})` }} />
  )
}
