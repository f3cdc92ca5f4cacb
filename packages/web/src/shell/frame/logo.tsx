/** The mark: a T, and the streak that gold leaves on the stone. */
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden className="shrink-0">
      <rect width="32" height="32" rx="7" fill="#191d24" />
      <path d="M8 9.5h16M16 9.5V24" stroke="#ddb049" strokeWidth="3.5" strokeLinecap="round" />
      <path d="M9.5 25.5 22 13" stroke="#ddb049" strokeOpacity=".45" strokeWidth="2" strokeLinecap="round" />
    </svg>
  )
}
