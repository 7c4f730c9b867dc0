declare module "virtual:badge-labels" {
  const picked: Record<"en" | "es" | "ro" | "ru", Record<string, string>>;
  export default picked;
}
