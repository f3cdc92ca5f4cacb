/** What the support team answers, by topic. */
export const ANSWERS = {
  password:
    'Open Settings, choose Security, then press Reset password. We send a link to the address of your account. Open it within an hour and enter the new password twice.',
  refund:
    'Open Orders, choose the order, then press Return. Print the label and bring the parcel to a post office. The money is back within five days after it has arrived.',
  invoice:
    'Open Billing, choose Invoices, then press Download next to the month. Invoices can be changed for 30 days with Edit address.',
  seats:
    'Open Members, press Invite, and enter one address per line. Each seat is billed from the day of the first sign-in.',
  export: 'Open Settings, choose Data, then press Export. We send a link to a ZIP file with one CSV file per table.',
} as const

export interface SupportQuestion {
  readonly question: string
  readonly topic: keyof typeof ANSWERS
  /** Short, or two questions at once. */
  readonly isHard: boolean
}

const ASKED: Readonly<Record<keyof typeof ANSWERS, readonly string[]>> = {
  password: [
    'How do I reset my password?',
    'I do not get the email with the link to a new password.',
    'My colleague left and I need the password of her account.',
    'The new password is refused. What is wrong with it?',
    'locked out again!!!',
    'Can I sign in with a passkey instead of a password?',
  ],
  refund: [
    'How do I send an order back?',
    'When do I get my money back?',
    'The parcel arrived broken, and I want another one and half of the price back.',
    'I have lost the label. How do I get a new one?',
    'refund',
    'Can I return a gift without the name of the person who paid?',
  ],
  invoice: [
    'Where are my invoices?',
    'The invoice has our old address. Can you correct it?',
    'We pay in dollars but the invoice is in euros.',
    'How do I get all invoices of last year in one file?',
    'Please send invoices to accounting@example.com from now on, and the last three too.',
    'Why is there VAT on the invoice of May?',
  ],
  seats: [
    'How do I add a colleague?',
    'Does a viewer cost as much as a member?',
    'We have 12 seats and 14 people. What happens now?',
    'How do I remove someone who left?',
    'Is there a discount for schools, and how do I add 300 pupils?',
    'seats??',
  ],
  export: [
    'How do I export all my data?',
    'Is the export a CSV file?',
    'The export has been running for two days.',
    'Do you delete my data after I cancel, and can I still export it?',
    'How do I import an export of another account?',
    'Can I get an export every night?',
  ],
}

/** Six questions of each topic; two of them are hard. */
export const QUESTIONS: readonly SupportQuestion[] = Object.entries(ASKED).flatMap(([topic, questions]) =>
  questions.map((question, at) => ({ question, topic: topic as keyof typeof ANSWERS, isHard: at === 2 || at === 4 })),
)
