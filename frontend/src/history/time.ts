// Times in the browser's language.

const short = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "medium" });

export const shortTime = (moment: string) => short.format(new Date(moment));
export const fullTime = (moment: string) => full.format(new Date(moment));
