long turn();

int main()
{
	for (;;)
		turn();
}
